//! What each path may be used for: visibility and four groups, decided by name alone.
