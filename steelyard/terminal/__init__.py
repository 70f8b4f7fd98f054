"""What the commands share: options, inputs, output, streams, interrupts."""
