/** URLs of this machine and of private networks, in the ways in which they can be written. */
export const privateUrls: readonly string[] = [
  "http://localhost/1",
  "http://a.localhost/1",
  "http://127.0.0.1/1",
  "http://2130706433/1",
  "http://0x7f.1/1",
  "http://[::1]/1",
  "http://[::ffff:10.0.0.1]/1",
  "http://10.1.2.3/1",
  "http://100.64.0.1/1",
  "http://169.254.169.254/1",
  "http://172.20.0.1/1",
  "http://192.168.1.1/1",
  "http://[fd00::1]/1",
  "http://0.0.0.0/1",
];

/** Addresses that are not public. */
export const privateHosts: readonly string[] = [
  "192.0.0.192",
  "198.18.0.1",
  "198.19.255.255",
  "224.0.0.1",
  "255.255.255.255",
  "192.0.2.1",
  "203.0.113.9",
  "[::]",
  "[::7f00:1]",
  "[fe80::1]",
  "[fec0::1]",
  "[ff02::1]",
  "[fd00::1]",
  "[64:ff9b:1::1]",
  "[64:ff9b::10.0.0.1]",
  "[2002:7f00:1::]",
  "[2001:0:1::1]",
  "[2001:db8::1]",
  "[::ffff:127.0.0.1]",
  "[100::1]",
];

/** Addresses that are public. */
export const publicHosts: readonly string[] = [
  "8.8.8.8",
  "172.32.0.1",
  "192.0.1.1",
  "198.20.0.1",
  "100.128.0.1",
  "223.255.255.255",
  "[2606:4700::1]",
  "[2001:4860::1]",
  "[2003::1]",
  "[::ffff:8.8.8.8]",
  "[64:ff9b::8.8.8.8]",
];
