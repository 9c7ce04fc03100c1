//! Squared distances from planes, summed.

use glam::DVec3;

/// `p ↦ pᵀ A p + 2 b·p + c`, and the weight of all planes in it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Quadric {
    /// xx, xy, xz, yy, yz, zz.
    a: [f64; 6],
    b: DVec3,
    c: f64,
    weight: f64,
}

impl Quadric {
    /// The squared distance from a plane through a point, times a weight.
    pub(super) fn plane(normal: DVec3, point: DVec3, weight: f64) -> Self {
        let d = -normal.dot(point);
        let n = normal;
        Self {
            a: [n.x * n.x, n.x * n.y, n.x * n.z, n.y * n.y, n.y * n.z, n.z * n.z].map(|v| v * weight),
            b: n * (d * weight),
            c: d * d * weight,
            weight,
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.a.iter_mut().zip(other.a).for_each(|(a, b)| *a += b);
        self.b += other.b;
        self.c += other.c;
        self.weight += other.weight;
    }

    /// The mean squared distance of a point from the planes of two quadrics, by their weights.
    pub(super) fn mean_of_both(&self, other: &Self, p: DVec3) -> f64 {
        let weight = self.weight + other.weight;
        if weight > 0.0 { (self.sum(p) + other.sum(p)).max(0.0) / weight } else { 0.0 }
    }

    fn sum(&self, p: DVec3) -> f64 {
        let [xx, xy, xz, yy, yz, zz] = self.a;
        let square =
            p.x * (xx * p.x + 2.0 * (xy * p.y + xz * p.z)) + p.y * (yy * p.y + 2.0 * yz * p.z) + zz * p.z * p.z;
        square + 2.0 * self.b.dot(p) + self.c
    }
}
