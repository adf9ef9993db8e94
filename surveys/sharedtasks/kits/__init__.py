"""What organisers hand out or take elsewhere: kits of phases, and bundles for Codabench."""
