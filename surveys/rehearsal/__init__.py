"""Scripted annotators, the demo studies and the MTurk simulator."""
