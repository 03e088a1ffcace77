#!/usr/bin/env node
// npm links a command when it installs, and what is built is not there yet.
import "./dist/command.js";
