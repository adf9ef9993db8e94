"""Teams of shared tasks: how people come to them, their names, members and descriptions."""
