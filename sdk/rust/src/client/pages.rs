use super::Client;
use super::error::Error;
use futures_util::Stream;
use futures_util::stream::try_unfold;
use std::future::Future;

/// A request for a list that comes in pages. The requests of all such methods are.
pub trait List: Clone + Send + Sync + 'static {
    /// One page.
    type Page: Send;
    /// One item of a page.
    type Item: Send;

    /// Asks for the page that the request names.
    fn page(self, client: &Client) -> impl Future<Output = Result<Self::Page, Error>> + Send;

    /// The request for the page after this one; `None` after the last.
    fn after(self, page: &Self::Page) -> Option<Self>;

    /// The items of a page, in their order.
    fn items(page: Self::Page) -> Vec<Self::Item>;
}

/// A walk over the pages of a list. One page at a time is held; dropping the walk ends it.
#[derive(Debug, Clone)]
pub struct Pages<R> {
    client: Client,
    next: Option<R>,
}

/// A walk over the items of a list. One page at a time is held; dropping the walk ends it.
#[derive(Debug)]
pub struct Items<R: List> {
    pages: Pages<R>,
    held: std::vec::IntoIter<R::Item>,
}

impl Client {
    /// The pages of a list, from the one that the request names to the end. Nothing is asked for before the first
    /// page is.
    pub fn list<R: List>(&self, request: R) -> Pages<R> {
        Pages { client: self.clone(), next: Some(request) }
    }
}

impl<R: List> Pages<R> {
    /// The next page; `None` after the last.
    ///
    /// # Errors
    /// Those of the method. The walk stays where it is: calling again asks for the same page.
    pub async fn next(&mut self) -> Result<Option<R::Page>, Error> {
        let Some(request) = self.next.clone() else { return Ok(None) };
        let page = request.clone().page(&self.client).await?;
        self.next = request.after(&page);
        Ok(Some(page))
    }

    /// The items instead of the pages.
    pub fn items(self) -> Items<R> {
        Items { pages: self, held: Vec::new().into_iter() }
    }
}

impl<R: List> Items<R> {
    /// The next item; `None` after the last.
    ///
    /// # Errors
    /// Those of the method. The walk stays where it is: calling again asks for the same page.
    pub async fn next(&mut self) -> Result<Option<R::Item>, Error> {
        loop {
            if let Some(item) = self.held.next() {
                return Ok(Some(item));
            }
            let Some(page) = self.pages.next().await? else { return Ok(None) };
            self.held = R::items(page).into_iter();
        }
    }

    /// The same as a stream, which ends with the first error.
    pub fn into_stream(self) -> impl Stream<Item = Result<R::Item, Error>> + Send {
        try_unfold(self, async |mut items| Ok(items.next().await?.map(|item| (item, items))))
    }
}
