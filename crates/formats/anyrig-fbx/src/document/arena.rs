//! Nodes and properties in flat lists.

use anyrig_bytes::{Error, Place, Result, SharedBytes};

/// A node of one document. Ids stay valid when other nodes are added or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

impl NodeId {
    /// The node above the top-level nodes.
    pub const ROOT: Self = Self(0);
    /// Stands for no node in links.
    pub(crate) const NONE: Self = Self(u32::MAX);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) fn some(self) -> Option<Self> {
        (self != Self::NONE).then_some(self)
    }
}

/// A node's record in the arena. Offsets are addresses, see [`Arena::bytes_at`].
#[derive(Clone, Debug)]
pub(crate) struct NodeData {
    pub name: u64,
    pub name_len: u32,
    pub parent: NodeId,
    /// Where the node begins and ends in the source; `None` for a node that an edit brought.
    pub range: Option<(u64, u64)>,
    pub first_child: NodeId,
    pub last_child: NodeId,
    pub next: NodeId,
    pub first_property: u32,
    pub property_count: u32,
    /// Binary: its list of children ends with a null record. ASCII: it has braces.
    pub has_list: bool,
}

impl NodeData {
    pub fn new(parent: NodeId) -> Self {
        Self {
            name: 0,
            name_len: 0,
            parent,
            range: None,
            first_child: NodeId::NONE,
            last_child: NodeId::NONE,
            next: NodeId::NONE,
            first_property: 0,
            property_count: 0,
            has_list: false,
        }
    }
}

/// A property: what it is in the top byte, its address in the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PropertyData(u64);

impl PropertyData {
    /// `tag` is the type code of a binary record, or one of `ascii::tag`.
    pub fn new(tag: u8, address: u64) -> Self {
        // Addresses are offsets in memory, far below 2^56.
        Self(u64::from(tag) << 56 | address & (u64::MAX >> 8))
    }

    pub fn tag(self) -> u8 {
        (self.0 >> 56) as u8
    }

    pub fn address(self) -> u64 {
        self.0 & (u64::MAX >> 8)
    }
}

/// The nodes, the properties and the bytes that they lie in.
#[derive(Debug)]
pub(crate) struct Arena {
    pub nodes: Vec<NodeData>,
    pub properties: Vec<PropertyData>,
    source: SharedBytes,
    /// What edits brought, by address; the addresses follow those of the source.
    own: Vec<(u64, SharedBytes)>,
}

impl Arena {
    pub fn new(source: &SharedBytes) -> Self {
        let root = NodeData::new(NodeId::NONE);
        Self { nodes: vec![root], properties: Vec::new(), source: source.clone(), own: Vec::new() }
    }

    pub fn source(&self) -> &SharedBytes {
        &self.source
    }

    /// True when the address is in what an edit brought.
    pub fn is_own(&self, address: u64) -> bool {
        address >= self.source.len() as u64
    }

    /// All bytes from an address to the end of the piece that it lies in.
    pub fn bytes_at(&self, address: u64) -> &[u8] {
        self.piece(address).and_then(|(start, piece)| piece.as_slice().get(start..)).unwrap_or_default()
    }

    /// As [`Arena::bytes_at`], as a range that shares the piece.
    pub fn shared_at(&self, address: u64) -> SharedBytes {
        self.piece(address).and_then(|(start, piece)| piece.slice(start..piece.len())).unwrap_or_default()
    }

    /// The piece that holds an address, and where in it.
    pub fn piece(&self, address: u64) -> Option<(usize, &SharedBytes)> {
        if !self.is_own(address) {
            return Some((address as usize, &self.source));
        }
        let after = self.own.partition_point(|(start, _)| *start <= address);
        let (start, piece) = self.own.get(after.checked_sub(1)?)?;
        Some(((address - start) as usize, piece))
    }

    /// Keeps bytes that an edit brings and gives their address.
    pub fn keep(&mut self, bytes: impl Into<SharedBytes>) -> u64 {
        let end_of = |(start, piece): &(u64, SharedBytes)| start + piece.len() as u64;
        let address = self.own.last().map_or(self.source.len() as u64, end_of);
        self.own.push((address, bytes.into()));
        address
    }

    pub fn node(&self, id: NodeId) -> Option<&NodeData> {
        self.nodes.get(id.index())
    }

    pub fn node_mut(&mut self, id: NodeId) -> Option<&mut NodeData> {
        self.nodes.get_mut(id.index())
    }

    pub fn name(&self, node: &NodeData) -> &[u8] {
        self.bytes_at(node.name).get(..node.name_len as usize).unwrap_or_default()
    }

    pub fn properties_of(&self, node: &NodeData) -> &[PropertyData] {
        let first = node.first_property as usize;
        let end = first.saturating_add(node.property_count as usize);
        self.properties.get(first..end).unwrap_or_default()
    }

    /// Adds a node as the last child of its parent.
    pub fn push(&mut self, node: NodeData, place: impl FnOnce() -> Place) -> Result<NodeId> {
        let id = self.add(node, place)?;
        self.link(id, None);
        Ok(id)
    }

    /// Adds a node that no list has yet.
    pub fn add(&mut self, node: NodeData, place: impl FnOnce() -> Place) -> Result<NodeId> {
        let id = u32::try_from(self.nodes.len()).ok().map(NodeId).filter(|id| *id != NodeId::NONE);
        let id = id.ok_or_else(|| Error::limit(place(), "more nodes than a 32-bit number counts"))?;
        self.nodes.push(node);
        Ok(id)
    }

    /// The index that the next property gets.
    pub fn next_property(&self, place: impl FnOnce() -> Place) -> Result<u32> {
        u32::try_from(self.properties.len())
            .map_err(|_| Error::limit(place(), "more properties than a 32-bit number counts"))
    }

    /// Puts a node into its parent's list, before a sibling or at the end.
    pub fn link(&mut self, id: NodeId, before: Option<NodeId>) {
        let Some(parent) = self.node(id).map(|n| n.parent) else { return };
        let previous = match before {
            None => self.node(parent).and_then(|p| p.last_child.some()),
            Some(before) => self.previous_sibling(before),
        };
        let next = before.unwrap_or(NodeId::NONE);
        if let Some(node) = self.node_mut(id) {
            node.next = next;
        }
        self.set_next(parent, previous, id);
        if let (None, Some(parent)) = (before, self.node_mut(parent)) {
            parent.last_child = id;
        }
    }

    /// Takes a node out of its parent's list.
    pub fn unlink(&mut self, id: NodeId) {
        let Some(node) = self.node(id) else { return };
        let (parent, next) = (node.parent, node.next);
        let previous = self.previous_sibling(id);
        self.set_next(parent, previous, next);
        if let (None, Some(parent)) = (next.some(), self.node_mut(parent)) {
            parent.last_child = previous.unwrap_or(NodeId::NONE);
        }
    }

    fn set_next(&mut self, parent: NodeId, previous: Option<NodeId>, next: NodeId) {
        match previous {
            Some(previous) => {
                if let Some(node) = self.node_mut(previous) {
                    node.next = next;
                }
            }
            None => {
                if let Some(node) = self.node_mut(parent) {
                    node.first_child = next;
                }
            }
        }
    }

    pub fn previous_sibling(&self, id: NodeId) -> Option<NodeId> {
        let parent = self.node(self.node(id)?.parent)?;
        let mut at = parent.first_child.some()?;
        if at == id {
            return None;
        }
        while let Some(next) = self.node(at)?.next.some() {
            if next == id {
                return Some(at);
            }
            at = next;
        }
        None
    }

    /// Walks the nodes below one in file order, without recursion. The step says that a node begins or ends.
    pub fn walk(&self, top: NodeId, mut visit: impl FnMut(Step, NodeId, &NodeData) -> Result<()>) -> Result<()> {
        let mut at = self.node(top).and_then(|n| n.first_child.some());
        while let Some(id) = at {
            let Some(node) = self.node(id) else { return Ok(()) };
            visit(Step::Enter, id, node)?;
            if node.first_child != NodeId::NONE {
                at = node.first_child.some();
                continue;
            }
            visit(Step::Leave, id, node)?;
            at = self.climb(id, top, &mut visit)?;
        }
        Ok(())
    }

    /// The node after `id` has ended: its sibling, or that of an ancestor, which then ends too.
    fn climb(
        &self,
        mut id: NodeId,
        top: NodeId,
        visit: &mut impl FnMut(Step, NodeId, &NodeData) -> Result<()>,
    ) -> Result<Option<NodeId>> {
        while let Some(node) = self.node(id) {
            if let Some(next) = node.next.some() {
                return Ok(Some(next));
            }
            id = node.parent;
            if id == top {
                return Ok(None);
            }
            if let Some(parent) = self.node(id) {
                visit(Step::Leave, id, parent)?;
            }
        }
        Ok(None)
    }
}

/// What a walk does at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Before its children.
    Enter,
    /// After its children.
    Leave,
}
