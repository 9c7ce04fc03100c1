//! Enums that know all of their variants.

/// An enum and the list of its variants, spelt once. Variants behind `and` hold something and are not in the list.
macro_rules! listed {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $(#[$list_meta:meta])*
            $list:ident: $($variant:ident)+
            $(; and $($more:ident($held:ty))+)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs)]
        pub enum $name {
            $($variant,)+
            $($($more($held),)+)?
        }

        impl $name {
            $(#[$list_meta])*
            pub const $list: [Self; [$(stringify!($variant)),+].len()] = [$(Self::$variant),+];
        }
    };
}
pub(crate) use listed;
