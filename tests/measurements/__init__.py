"""Published measurements that may be shipped, and the calibration of the constants fitted to them."""
