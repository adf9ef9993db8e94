"""Scripted workers, who rehearse a batch in the MTurk simulator."""
