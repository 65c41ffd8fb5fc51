use super::Client;
use super::error::Error;
use futures_util::Stream;
use futures_util::stream::try_unfold;
use std::fmt::Debug;
use std::future::Future;

/// A request for a list that is returned in pages. The requests of all such methods implement it.
pub trait List: Clone + Send + Sync + 'static {
    /// One page.
    type Page: Debug + Send;
    /// One item of a page.
    type Item: Debug + Send;

    /// Refuses a request that is wrong in itself.
    ///
    /// # Errors
    /// INVALID_ARGUMENT with all such fields.
    fn check(&self) -> Result<(), Error>;

    /// Requests the page that this request names.
    fn page(self, client: &Client) -> impl Future<Output = Result<Self::Page, Error>> + Send;

    /// Returns the request for the page after this one; `None` after the last.
    fn after(self, page: &Self::Page) -> Option<Self>;

    /// Returns the items of a page, in their order.
    fn items(page: Self::Page) -> Vec<Self::Item>;
}

/// A walk over the pages of a list, whose items become `T`s. It holds one page at a time; dropping
/// it ends it.
#[derive(Debug, Clone)]
pub struct Pages<R: List, T = <R as List>::Item> {
    client: Client,
    next: Option<R>,
    hold: fn(&Client, R::Item) -> T,
}

/// A walk over the items of a list. It holds one page at a time; dropping it ends it.
#[derive(Debug)]
pub struct Items<R: List, T = <R as List>::Item> {
    pages: Pages<R, T>,
    held: std::vec::IntoIter<R::Item>,
}

impl Client {
    /// Returns the pages of a list, from the one that the request names to the end. No call is made
    /// before the first page is requested.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if the request is wrong in itself; what the service refuses is the error of
    /// the first page.
    pub fn list<R: List>(&self, request: R) -> Result<Pages<R>, Error> {
        request.check()?;
        Ok(Pages { client: self.clone(), next: Some(request), hold: |_, item| item })
    }
}

impl<R: List, T> Pages<R, T> {
    /// Returns the same walk, whose items this function makes.
    pub(crate) fn held<U>(self, hold: fn(&Client, R::Item) -> U) -> Pages<R, U> {
        Pages { client: self.client, next: self.next, hold }
    }

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
    pub fn items(self) -> Items<R, T> {
        Items { pages: self, held: Vec::new().into_iter() }
    }
}

impl<R: List, T> Items<R, T> {
    /// Returns the next item; `None` after the last.
    ///
    /// # Errors
    /// Those of the method. The walk does not advance: calling again requests the same page.
    pub async fn next(&mut self) -> Result<Option<T>, Error> {
        loop {
            if let Some(item) = self.held.next() {
                return Ok(Some((self.pages.hold)(&self.pages.client, item)));
            }
            let Some(page) = self.pages.next().await? else { return Ok(None) };
            self.held = R::items(page).into_iter();
        }
    }

    /// Converts the walk into a stream, which ends with the first error.
    pub fn into_stream(self) -> impl Stream<Item = Result<T, Error>> + Send {
        try_unfold(self, async |mut items| Ok(items.next().await?.map(|item| (item, items))))
    }
}
