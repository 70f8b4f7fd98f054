//! Small arithmetic with the results of Python's: exact sums, the C library's logarithms and powers, decimal rounding.

use std::hint::black_box;

/// Python's `math.fsum`: the exact sum, rounded once.
pub fn fsum(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut partials: Vec<f64> = Vec::with_capacity(8);
    for value in values {
        let mut x = value;
        let mut kept = 0;
        for at in 0..partials.len() {
            let mut y = partials[at];
            if x.abs() < y.abs() {
                std::mem::swap(&mut x, &mut y);
            }
            let high = x + y;
            let low = y - (high - x);
            if low != 0.0 {
                partials[kept] = low;
                kept += 1;
            }
            x = high;
        }
        partials.truncate(kept);
        partials.push(x);
    }
    round_partials(&partials)
}

/// The sum of partials that do not overlap, smallest first, rounded half to even.
fn round_partials(partials: &[f64]) -> f64 {
    let Some((last, rest)) = partials.split_last() else { return 0.0 };
    let mut high = *last;
    let mut low = 0.0;
    let mut left = rest.len();
    while left > 0 {
        left -= 1;
        let x = high;
        let y = rest[left];
        high = x + y;
        low = y - (high - x);
        if low != 0.0 {
            break;
        }
    }
    if left > 0 && ((low < 0.0 && rest[left - 1] < 0.0) || (low > 0.0 && rest[left - 1] > 0.0)) {
        let y = low * 2.0;
        let x = high + y;
        if y == x - high {
            high = x;
        }
    }
    high
}

pub fn clamp(value: f64, low: f64, high: f64) -> f64 {
    smaller(high, larger(low, value))
}

pub fn clamp01(value: f64) -> f64 {
    clamp(value, 0.0, 1.0)
}

/// Python's `min(a, b)`: the first unless the second is smaller.
pub fn smaller(a: f64, b: f64) -> f64 {
    if b < a {
        b
    } else {
        a
    }
}

/// Python's `max(a, b)`: the first unless the second is larger.
pub fn larger(a: f64, b: f64) -> f64 {
    if b > a {
        b
    } else {
        a
    }
}

pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() {
        0.0
    } else {
        fsum(values.iter().copied()) / values.len() as f64
    }
}

/// Python's `x ** y`: always the C library's function, never a product or a root in its place.
pub fn pow(x: f64, y: f64) -> f64 {
    x.powf(black_box(y))
}

/// The coefficient of variation, with the population standard deviation; 0 when the mean is 0.
pub fn variation(values: &[usize]) -> f64 {
    let floats: Vec<f64> = values.iter().map(|v| *v as f64).collect();
    let centre = mean(&floats);
    if centre == 0.0 {
        return 0.0;
    }
    (fsum(floats.iter().map(|v| pow(v - centre, 2.0))) / floats.len() as f64).sqrt() / centre
}

/// Linear between knots sorted by x; constant outside them.
pub fn piecewise(x: f64, knots: &[(f64, f64)]) -> f64 {
    let (first, last) = (knots[0], knots[knots.len() - 1]);
    if x <= first.0 {
        return first.1;
    }
    for pair in knots.windows(2) {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        if x <= x1 {
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0);
        }
    }
    last.1
}

/// Python's `round(x, 9)`: to the nearest decimal of the exact value, half to even.
pub fn round9(x: f64) -> f64 {
    if x == x.trunc() {
        return x;
    }
    format!("{x:.9}").parse().unwrap_or(x)
}
