"""How the encoder judge's model is made: base model, training pairs, network, training loop, export."""
