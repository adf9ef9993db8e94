"""Examples in the description of the API: values, bodies and command lines."""
