//! Points, boxes, and the smallest rectangle around a cloud of points. The y axis points down, as in pictures.

/// A place in a picture, in pixels.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    pub x: f32,
    pub y: f32,
}

impl Point {
    pub fn new(x: f32, y: f32) -> Self {
        Self { x, y }
    }

    pub(crate) fn distance(self, other: Self) -> f32 {
        (self.x - other.x).hypot(self.y - other.y)
    }

    /// The place `share` of the way from here to `other`.
    fn towards(self, other: Self, share: f32) -> Self {
        Self { x: self.x + (other.x - self.x) * share, y: self.y + (other.y - self.y) * share }
    }
}

/// An upright box.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bounds {
    pub left: f32,
    pub top: f32,
    pub right: f32,
    pub bottom: f32,
}

impl Bounds {
    pub fn width(&self) -> f32 {
        self.right - self.left
    }

    pub fn height(&self) -> f32 {
        self.bottom - self.top
    }

    pub fn area(&self) -> f32 {
        self.width() * self.height()
    }

    pub(crate) fn middle(&self) -> f32 {
        (self.top + self.bottom) / 2.0
    }

    /// The part of it that lies in a picture of this size.
    pub(crate) fn within(self, width: u32, height: u32) -> Self {
        let (width, height) = (width as f32, height as f32);
        Self {
            left: self.left.clamp(0.0, width),
            top: self.top.clamp(0.0, height),
            right: self.right.clamp(0.0, width),
            bottom: self.bottom.clamp(0.0, height),
        }
    }
}

/// The four corners around a line of text, in the order in which a reader sees them: top left, top right, bottom right,
/// bottom left.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Polygon(pub [Point; 4]);

impl Polygon {
    pub(crate) fn upright(bounds: Bounds) -> Self {
        let Bounds { left, top, right, bottom } = bounds;
        Self([
            Point::new(left, top),
            Point::new(right, top),
            Point::new(right, bottom),
            Point::new(left, bottom),
        ])
    }

    pub fn bounds(&self) -> Bounds {
        let xs = self.0.map(|corner| corner.x);
        let ys = self.0.map(|corner| corner.y);
        Bounds {
            left: xs.into_iter().fold(f32::INFINITY, f32::min),
            top: ys.into_iter().fold(f32::INFINITY, f32::min),
            right: xs.into_iter().fold(f32::NEG_INFINITY, f32::max),
            bottom: ys.into_iter().fold(f32::NEG_INFINITY, f32::max),
        }
    }

    /// Along the line.
    pub(crate) fn width(&self) -> f32 {
        let [top_left, top_right, bottom_right, bottom_left] = self.0;
        top_left.distance(top_right).max(bottom_left.distance(bottom_right))
    }

    /// Across the line.
    pub(crate) fn height(&self) -> f32 {
        let [top_left, top_right, bottom_right, bottom_left] = self.0;
        top_left.distance(bottom_left).max(top_right.distance(bottom_right))
    }

    /// The descent of the line to the right, as an angle in degrees: clockwise is positive.
    pub(crate) fn degrees(&self) -> f32 {
        let [top_left, top_right, ..] = self.0;
        (top_right.y - top_left.y).atan2(top_right.x - top_left.x).to_degrees()
    }

    /// The place at these shares of its width and height.
    pub(crate) fn at(&self, across: f32, down: f32) -> Point {
        let [top_left, top_right, bottom_right, bottom_left] = self.0;
        top_left.towards(top_right, across).towards(bottom_left.towards(bottom_right, across), down)
    }

    pub(crate) fn map(self, place: impl Fn(Point) -> Point) -> Self {
        Self(self.0.map(place))
    }

    /// The same place seen upside down.
    pub(crate) fn upside_down(self) -> Self {
        let [top_left, top_right, bottom_right, bottom_left] = self.0;
        Self([bottom_right, bottom_left, top_left, top_right])
    }
}

/// A rectangle at any angle. Its `width` lies along the axis that is nearer to horizontal.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Rectangle {
    pub(crate) centre: Point,
    /// The direction of `width`, of length one.
    pub(crate) along: Point,
    pub(crate) width: f32,
    pub(crate) height: f32,
}

impl Rectangle {
    pub(crate) fn shorter_side(&self) -> f32 {
        self.width.min(self.height)
    }

    pub(crate) fn grown(self, distance: f32) -> Self {
        Self { width: self.width + 2.0 * distance, height: self.height + 2.0 * distance, ..self }
    }

    pub(crate) fn polygon(&self) -> Polygon {
        let (right, down) = (self.along, Point::new(-self.along.y, self.along.x));
        let corner = |across: f32, deep: f32| {
            let (across, deep) = (across * self.width / 2.0, deep * self.height / 2.0);
            Point::new(
                self.centre.x + right.x * across + down.x * deep,
                self.centre.y + right.y * across + down.y * deep,
            )
        };
        Polygon([corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)])
    }

    /// True if a point lies in it or on its edge.
    pub(crate) fn holds(&self, point: Point) -> bool {
        let (x, y) = (point.x - self.centre.x, point.y - self.centre.y);
        let across = x * self.along.x + y * self.along.y;
        let deep = y * self.along.x - x * self.along.y;
        across.abs() <= self.width / 2.0 + EDGE && deep.abs() <= self.height / 2.0 + EDGE
    }
}

/// Points on the edge count as inside, in spite of rounding.
const EDGE: f32 = 0.01;

/// The rectangle of the smallest area around all points; one of its sides lies along an edge of their hull.
pub(crate) fn smallest_rectangle(points: Vec<Point>) -> Option<Rectangle> {
    let hull = convex_hull(points);
    let [first, ..] = hull[..] else { return None };
    let edges = (0..hull.len()).map(|index| (hull[index], hull[(index + 1) % hull.len()]));
    edges
        .filter(|(from, to)| from != to)
        .map(|(from, to)| {
            let length = from.distance(to);
            around(&hull, Point::new((to.x - from.x) / length, (to.y - from.y) / length))
        })
        .min_by(|a, b| (a.width * a.height).total_cmp(&(b.width * b.height)))
        .or(Some(Rectangle { centre: first, along: Point::new(1.0, 0.0), width: 0.0, height: 0.0 }))
}

/// The rectangle around `hull` whose sides have this direction.
fn around(hull: &[Point], direction: Point) -> Rectangle {
    let along = nearer_to_horizontal(direction);
    let (mut left, mut right) = (f32::INFINITY, f32::NEG_INFINITY);
    let (mut top, mut bottom) = (f32::INFINITY, f32::NEG_INFINITY);
    for point in hull {
        let across = point.x * along.x + point.y * along.y;
        let deep = point.y * along.x - point.x * along.y;
        (left, right) = (left.min(across), right.max(across));
        (top, bottom) = (top.min(deep), bottom.max(deep));
    }
    let (across, deep) = ((left + right) / 2.0, (top + bottom) / 2.0);
    let centre = Point::new(across * along.x - deep * along.y, across * along.y + deep * along.x);
    Rectangle { centre, along, width: right - left, height: bottom - top }
}

/// Of the four directions of a rectangle's sides, the one that points most to the right.
fn nearer_to_horizontal(direction: Point) -> Point {
    let turned = if direction.x.abs() >= direction.y.abs() {
        direction
    } else {
        Point::new(direction.y, -direction.x)
    };
    if turned.x < 0.0 { Point::new(-turned.x, -turned.y) } else { turned }
}

/// Andrew's chain: the lower half from left to right, then the upper half back.
fn convex_hull(mut points: Vec<Point>) -> Vec<Point> {
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let mut hull = half_hull(points.iter().copied());
    hull.pop();
    hull.extend(half_hull(points.iter().rev().copied()));
    hull.pop();
    hull
}

fn half_hull(points: impl Iterator<Item = Point>) -> Vec<Point> {
    let mut half: Vec<Point> = Vec::new();
    for point in points {
        while let [.., before, last] = half[..] {
            if turns_left(before, last, point) {
                break;
            }
            half.pop();
        }
        half.push(point);
    }
    half
}

fn turns_left(a: Point, b: Point, c: Point) -> bool {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turned_rectangle_is_found_again() {
        let rectangle = Rectangle {
            centre: Point::new(100.0, 50.0),
            along: Point::new(0.1f32.cos(), 0.1f32.sin()),
            width: 80.0,
            height: 10.0,
        };
        let found = smallest_rectangle(rectangle.polygon().0.to_vec()).unwrap();
        assert!((found.width - 80.0).abs() < 0.01, "{found:?}");
        assert!((found.height - 10.0).abs() < 0.01, "{found:?}");
        assert!((found.polygon().degrees() - 0.1f32.to_degrees()).abs() < 0.05, "{found:?}");
    }

    #[test]
    fn one_point_has_a_rectangle_without_size() {
        let found = smallest_rectangle(vec![Point::new(3.0, 4.0); 5]).unwrap();
        assert_eq!((found.centre, found.width, found.height), (Point::new(3.0, 4.0), 0.0, 0.0));
        assert_eq!(smallest_rectangle(Vec::new()), None);
    }

    #[test]
    fn a_tall_rectangle_keeps_its_top_at_the_top() {
        let bounds = Bounds { left: 10.0, top: 20.0, right: 14.0, bottom: 90.0 };
        let found = smallest_rectangle(Polygon::upright(bounds).0.to_vec()).unwrap();
        assert_eq!(found.polygon().bounds(), bounds);
        assert!(found.height > found.width);
        assert!(found.holds(Point::new(12.0, 20.0)) && !found.holds(Point::new(15.0, 20.0)));
    }
}
