//! What users of the world rely on.
