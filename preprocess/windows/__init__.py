"""Windows: consecutive sentences that contain both words of a pair, found, filtered, stored."""
