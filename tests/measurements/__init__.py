"""Published measurements that may be shipped, and the calibration of constants fitted to them."""
