// The tests of docs/examples/concurrent-tests.ts run here.
import "../../docs/examples/concurrent-tests.ts";
