// Placeholder until this layer is built.
