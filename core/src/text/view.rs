//! The reading view: what a reader sees of a page, with the way back to the offsets of the file.

use crate::buffer::Span;

/// A text made of runs of the source; `view_starts` and `source_starts` say where each run begins in both.
#[derive(Default)]
pub struct View {
    pub text: Vec<char>,
    pub view_starts: Vec<usize>,
    pub source_starts: Vec<usize>,
}

impl View {
    /// The offset in the source of the character at `offset` of the view.
    pub fn source_offset(&self, offset: usize) -> usize {
        match find_run(&self.view_starts, offset) {
            Some(run) => self.source_starts[run] + offset - self.view_starts[run],
            None => offset,
        }
    }

    /// The offset in the view of the source's `offset`, or of what follows it when it is not shown.
    pub fn view_offset(&self, offset: usize) -> usize {
        let Some(run) = find_run(&self.source_starts, offset) else { return 0 };
        let end = self.view_starts.get(run + 1).copied().unwrap_or(self.text.len());
        end.min(self.view_starts[run] + offset - self.source_starts[run])
    }

    /// The half-open span of the source from the first to the last character of a span of the view.
    pub fn source_span(&self, start: usize, end: usize) -> Span {
        let first = self.source_offset(start);
        if end <= start {
            return (first, first);
        }
        (first, self.source_offset(end - 1) + 1)
    }
}

/// Return the last of the sorted `starts` that is not behind `offset`.
fn find_run(starts: &[usize], offset: usize) -> Option<usize> {
    starts.partition_point(|start| *start <= offset).checked_sub(1)
}

/// Collects pieces of the source in order.
pub struct ViewBuilder<'a> {
    source: &'a [char],
    view: View,
}

impl<'a> ViewBuilder<'a> {
    pub fn new(source: &'a [char]) -> ViewBuilder<'a> {
        let text = Vec::with_capacity(source.len());
        ViewBuilder { source, view: View { text, ..View::default() } }
    }

    /// The length of the view so far.
    pub fn len(&self) -> usize {
        self.view.text.len()
    }

    pub fn is_empty(&self) -> bool {
        self.view.text.is_empty()
    }

    /// What was added after the view had this length.
    pub fn text_since(&self, length: usize) -> &[char] {
        &self.view.text[length..]
    }

    /// Copy the source from `start` to `end`.
    pub fn keep(&mut self, start: usize, end: usize) {
        if end > start {
            self.begin_run(start);
            self.view.text.extend_from_slice(&self.source[start..end]);
        }
    }

    /// Add a character in place of what begins at `at` in the source.
    pub fn put(&mut self, c: char, at: usize) {
        self.begin_run(at);
        self.view.text.push(c);
    }

    fn begin_run(&mut self, at: usize) {
        self.view.view_starts.push(self.view.text.len());
        self.view.source_starts.push(at);
    }

    pub fn build(mut self) -> View {
        if self.view.view_starts.is_empty() {
            self.view.view_starts.push(0);
            self.view.source_starts.push(0);
        }
        self.view
    }
}
