use super::Client;
use super::error::Error;
use futures_util::Stream;
use futures_util::stream::try_unfold;
use std::future::Future;

/// A request for a list that is returned in pages. The requests of all such methods implement it.
pub trait List: Clone + Send + Sync + 'static {
    /// One page.
    type Page: Send;
    /// One item of a page.
    type Item: Send;

    /// Requests the page that this request names.
    fn page(self, client: &Client) -> impl Future<Output = Result<Self::Page, Error>> + Send;

    /// Returns the request for the page after this one; `None` after the last.
    fn after(self, page: &Self::Page) -> Option<Self>;

    /// Returns the items of a page, in their order.
    fn items(page: Self::Page) -> Vec<Self::Item>;
}

/// A walk over the pages of a list. It holds one page at a time; dropping it ends it.
#[derive(Debug, Clone)]
pub struct Pages<R> {
    client: Client,
    next: Option<R>,
}

/// A walk over the items of a list. It holds one page at a time; dropping it ends it.
#[derive(Debug)]
pub struct Items<R: List> {
    pages: Pages<R>,
    held: std::vec::IntoIter<R::Item>,
}

impl Client {
    /// Returns the pages of a list, from the one that the request names to the end. No call is made
    /// before the first page is requested.
    pub fn list<R: List>(&self, request: R) -> Pages<R> {
        Pages { client: self.clone(), next: Some(request) }
    }
}

impl<R: List> Pages<R> {
    /// Returns the next page; `None` after the last.
    ///
    /// # Errors
    /// Those of the method. The walk does not advance: calling again requests the same page.
    pub async fn next(&mut self) -> Result<Option<R::Page>, Error> {
        let Some(request) = self.next.clone() else { return Ok(None) };
        let page = request.clone().page(&self.client).await?;
        self.next = request.after(&page);
        Ok(Some(page))
    }

    /// Converts the walk over pages into a walk over items.
    pub fn items(self) -> Items<R> {
        Items { pages: self, held: Vec::new().into_iter() }
    }
}

impl<R: List> Items<R> {
    /// Returns the next item; `None` after the last.
    ///
    /// # Errors
    /// Those of the method. The walk does not advance: calling again requests the same page.
    pub async fn next(&mut self) -> Result<Option<R::Item>, Error> {
        loop {
            if let Some(item) = self.held.next() {
                return Ok(Some(item));
            }
            let Some(page) = self.pages.next().await? else { return Ok(None) };
            self.held = R::items(page).into_iter();
        }
    }

    /// Converts the walk into a stream, which ends with the first error.
    pub fn into_stream(self) -> impl Stream<Item = Result<R::Item, Error>> + Send {
        try_unfold(self, async |mut items| Ok(items.next().await?.map(|item| (item, items))))
    }
}
