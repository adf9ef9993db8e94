"""The operations of the MTurk API that the simulator offers to requesters."""
