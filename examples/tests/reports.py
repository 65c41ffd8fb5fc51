"""Reports a comment, and leases a review without a verdict, by the SDK of the example under test.

    python reports.py COMMENT_ID MEMBER

Run by dashboards.py, for the panels of moderation that the command line does not fill.
"""

import sys

import riposte_sdk
from riposte_sdk import v1

# The shortest lease that the service grants: it ends while the panels are read.
LEASE_S = 10


def main() -> None:
    comment_id, member = int(sys.argv[1]), sys.argv[2]
    with riposte_sdk.from_env() as client:
        client.comment(comment_id).report(member, reason="spam")
        lease = v1.ClaimReviewItemsRequest(object_type="held", moderator_id=member, limit=1)
        lease.lease.seconds = LEASE_S
        client.moderation().ClaimReviewItems(lease)


if __name__ == "__main__":
    main()
