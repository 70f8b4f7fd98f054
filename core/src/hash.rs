//! Hash tables whose hashes a page cannot foresee: words that collide would make every look-up slow.

pub use foldhash::fast::RandomState;

pub type HashMap<K, V> = std::collections::HashMap<K, V, RandomState>;
pub type HashSet<K> = std::collections::HashSet<K, RandomState>;
