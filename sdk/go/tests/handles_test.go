package tests

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"riposte.dev/go/riposte"
	"riposte.dev/go/riposte/ripostev1"
)

// must ends a test that has failed.
func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func TestAWrongViewerIsToldAtTheCall(t *testing.T) {
	ctx, full := t.Context(), dev.Client.Subject("article", "viewed-"+text(8))
	comment := must(full.Comment(ctx, "m7", "Hi"))(t)
	told := func(nothing bool, err error) {
		t.Helper()
		var failed *riposte.Error
		if !errors.As(err, &failed) || failed.Reason != riposte.ReasonFieldInvalid || failed.RequestID != "" || !nothing ||
			len(failed.Violations) != 1 || failed.Violations[0].Field != "viewer" {
			t.Fatal(nothing, err)
		}
	}
	for _, viewer := range []riposte.Viewer{riposte.Viewer(fmt.Sprintf("%065d", 1)), "m\t1", "m\u00851", "m\xff"} {
		// What does not exist is never asked for.
		page, err := dev.Client.Subject("article", "absent-"+text(8)).Page(ctx, viewer)
		told(page == nil, err)
		replies, err := dev.Client.Comment(1).Page(ctx, viewer)
		told(replies == nil, err)
		page, err = full.Page(ctx, viewer)
		told(page == nil, err)
		found, err := dev.Client.CommentsByID(ctx, []int64{comment.GetId()}, viewer)
		told(found == nil, err)
	}
}

func TestAnOptionThatIsNilIsToldAtTheCall(t *testing.T) {
	ctx, subject := t.Context(), dev.Client.Subject("article", "absent-"+text(8))
	_, page := subject.Page(ctx, nil)
	_, walk := subject.Comments(ctx, riposte.Hot, nil)
	_, listener := subject.Listen(ctx, nil)
	_, byID := dev.Client.CommentsByID(ctx, []int64{1}, nil)
	for at, err := range []error{page, walk, listener, byID} {
		if status.Code(err) != codes.InvalidArgument {
			t.Error(at, err)
		}
	}
}

func TestWrongMetadataIsToldAtTheCall(t *testing.T) {
	subject := dev.Client.Subject("article", "1")
	for _, wrong := range [][2]string{{"A B", "x"}, {"", "x"}, {"a", "x\n"}, {"a", "é"}} {
		ctx := metadata.AppendToOutgoingContext(t.Context(), wrong[0], wrong[1])
		_, page := subject.Page(ctx)
		_, walk := subject.Comments(ctx)
		_, watch := subject.Watch(ctx)
		for _, err := range []error{page, walk, watch} {
			if status.Code(err) != codes.InvalidArgument {
				t.Fatal(wrong, err)
			}
		}
	}
}

func TestAPageHasHandlesItsCursorAndWhatItsViewerLikes(t *testing.T) {
	ctx, subject := t.Context(), dev.Client.Subject("article", "page-"+text(8))
	if !must(subject.Ensure(ctx))(t) || must(subject.Ensure(ctx))(t) {
		t.Fatal("a subject is created once")
	}
	var roots []*riposte.Comment
	for at := range 3 {
		roots = append(roots, must(subject.Comment(ctx, "m7", fmt.Sprint(at)))(t))
	}
	reply := must(dev.Client.Comment(roots[0].Id).Reply(ctx, "m8", "Welcome"))(t)
	must(dev.Client.Comment(reply.Id).Like(ctx, "m9"))(t)
	must(roots[0].Dislike(ctx, "m9"))(t)
	page := must(subject.Page(ctx, riposte.Oldest, riposte.PageSize(2), riposte.ReplyPreviewSize(1), riposte.Viewer("m9")))(t)
	told := fmt.Sprint(len(page.Threads), page.Threads[0].Comment.OwnLike, page.Threads[1].Comment.OwnLike, page.Threads[0].Replies[0].OwnLike)
	if told != "2 LIKE_VALUE_DISLIKE LIKE_VALUE_NONE LIKE_VALUE_LIKE" {
		t.Fatal(told)
	}
	last := must(subject.Page(ctx, riposte.Oldest, riposte.PageSize(2), riposte.PageToken(page.NextPageToken)))(t)
	if len(last.Threads) != 1 || last.Threads[0].Comment.Id != roots[2].Id || last.Threads[0].Comment.OwnLike != 0 {
		t.Fatal(last)
	}
	holds := func(thread *riposte.Thread) bool { return thread.Comment.Id == roots[2].Id }
	by := riposte.MinRevision(page.SubjectRevision)
	for _, option := range []riposte.SubjectPageOption{riposte.AroundCommentId(roots[2].Id), riposte.AroundFloor(roots[2].Floor)} {
		around := must(subject.Page(ctx, riposte.Oldest, riposte.PageSize(1), option, by))(t)
		if !slices.ContainsFunc(around.Threads, holds) || around.PreviousPageToken == "" {
			t.Fatal(around)
		}
	}
	replies := must(dev.Client.Comment(roots[0].Id).Page(ctx, riposte.Top, riposte.Viewer("m9")))(t)
	if len(replies.Replies) != 1 || replies.Replies[0].OwnLike != ripostev1.LikeValue_LIKE_VALUE_LIKE {
		t.Fatal(replies)
	}
	above := page.WithJustMade(nil, roots[2], roots[1], reply, &riposte.Comment{Comment: roots[2].Comment})
	var order []string
	for _, thread := range above {
		order = append(order, fmt.Sprint(thread.Comment.Content.Text, thread.Comment.OwnLike))
	}
	wanted := []string{"2LIKE_VALUE_UNSPECIFIED", "1LIKE_VALUE_NONE", "0LIKE_VALUE_DISLIKE"}
	if !slices.Equal(order, wanted) || len(page.Threads) != 2 || len(last.WithJustMade(roots...)) != 0 {
		t.Fatal(order)
	}
}

func TestWhatIsUnlistedStandsAboveTheFirstPageOfItsAuthor(t *testing.T) {
	ctx, subject := t.Context(), dev.Client.Subject("article", "unlisted-"+text(8))
	comment := must(subject.Comment(ctx, "m7", "waits"))(t)
	moderation := dev.Client.Moderation()
	seen := must(moderation.GetModeratedComments(ctx, &ripostev1.GetModeratedCommentsRequest{Ids: []int64{comment.Id}}))(t)
	must(moderation.SubmitVerdicts(ctx, &ripostev1.SubmitVerdictsRequest{
		Action:      ripostev1.ModerationAction_MODERATION_ACTION_WITHHOLD,
		Grounds:     &ripostev1.Grounds{Code: "to-be-checked"},
		Targets:     []*ripostev1.VerdictTarget{{CommentId: comment.Id, Etag: seen.Comments[0].Etag}},
		ModeratorId: "mod",
	}))(t)
	request := &ripostev1.ListUnlistedCommentsRequest{Subject: subject.SubjectKey, MemberId: "m7"}
	unlisted := must(dev.Client.Comments().ListUnlistedComments(ctx, request))(t)
	page := must(subject.Page(ctx, riposte.PageSize(1)))(t)
	above := page.WithUnlisted(unlisted.Comments)
	if len(page.Threads) != 0 || len(above) != 1 || above[0].Comment.Id != comment.Id ||
		above[0].Comment.State != ripostev1.CommentState_COMMENT_STATE_PENDING {
		t.Fatal(page.Threads, above)
	}
}

func TestAWrongArgumentOfAWalkIsTheErrorOfTheCall(t *testing.T) {
	ctx := t.Context()
	for field, err := range map[string]error{
		"sort":              unmade(dev.Client.Subject("article", "1").Comments(ctx, riposte.CommentSort(99))),
		"subject.object_id": unmade(dev.Client.Subject("article", "\xff").Comments(ctx)),
		"member_id":         unmade(dev.Client.Member("article", "").Comments(ctx)),
		"root_id":           unmade(dev.Client.Comment(0).Replies(ctx)),
	} {
		var failed *riposte.Error
		if !errors.As(err, &failed) || !errors.Is(err, riposte.ReasonFieldInvalid) || failed.RequestID != "" ||
			len(failed.Violations) != 1 || failed.Violations[0].Field != field {
			t.Error(field, err)
		}
	}
}

func TestWhatOnlyTheServiceKnowsComesWithTheFirstPair(t *testing.T) {
	pairs := 0
	request := &ripostev1.ListCommentsRequest{Subject: dev.Client.Subject("article", "1").SubjectKey, PageToken: "none"}
	for thread, err := range must(dev.Client.ListComments(t.Context(), request))(t) {
		if pairs++; thread != nil || !errors.Is(err, riposte.ReasonPageTokenInvalid) {
			t.Fatal(thread, err)
		}
	}
	if pairs != 1 {
		t.Fatal(pairs)
	}
}

// unmade is the error of a walk that is not made.
func unmade[T any](walk iter.Seq2[T, error], err error) error {
	if walk != nil {
		return fmt.Errorf("a walk, and %w", err)
	}
	return err
}

func TestAModeratorHidesShowsAndDeletes(t *testing.T) {
	ctx := t.Context()
	comment := must(dev.Client.Subject("article", "moderated-"+text(8)).Comment(ctx, "m7", "Hi"))(t)
	hidden := must(comment.Hide(ctx, "mod", "spam"))(t).Comment.State
	shown := must(comment.Unhide(ctx, "mod", "fine"))(t).Comment.State
	deleted := must(comment.ModeratorDelete(ctx, "mod", "spam"))(t).Comment.DeletedBy
	if told := fmt.Sprint(hidden, shown, deleted); told != "COMMENT_STATE_HIDDEN COMMENT_STATE_ACTIVE DELETED_BY_MODERATOR" {
		t.Fatal(told)
	}
	if page := must(dev.Client.Member("article", "nobody").Page(ctx))(t); len(page.Comments) != 0 {
		t.Fatal(page)
	}
}

func TestIDsAreTextsInJSON(t *testing.T) {
	comment := must(dev.Client.Subject("article", "json-"+text(8)).Comment(t.Context(), "m7", "Hi"))(t)
	for _, written := range [][]byte{must(riposte.JSON(comment))(t), must(json.Marshal(comment))(t)} {
		var read struct{ ID, RootID string }
		if err := json.Unmarshal(written, &read); err != nil || read.ID != fmt.Sprint(comment.Id) || read.RootID != "0" {
			t.Fatal(string(written), err)
		}
	}
}

func TestOwnLikesThatCannotBeAskedAreUnknown(t *testing.T) {
	var lock sync.Mutex
	var asked []int
	target, _ := anyServer(t, func(_ any, stream grpc.ServerStream) error {
		method, _ := grpc.MethodFromServerStream(stream)
		if method == ripostev1.CommentService_ListComments_FullMethodName {
			page := &ripostev1.ListCommentsResponse{}
			for at := range 60 {
				thread := &ripostev1.CommentThread{Comment: &ripostev1.Comment{Id: int64(at*11 + 1)}}
				for reply := range 10 {
					thread.Replies = append(thread.Replies, &ripostev1.Comment{Id: int64(at*11 + reply + 2)})
				}
				page.Threads = append(page.Threads, thread)
			}
			return errors.Join(stream.RecvMsg(&ripostev1.ListCommentsRequest{}), stream.SendMsg(page))
		}
		var request ripostev1.BatchGetLikeStatesRequest
		if err := stream.RecvMsg(&request); err != nil {
			return err
		}
		lock.Lock()
		asked = append(asked, len(request.CommentIds))
		lock.Unlock()
		if len(request.CommentIds) > 60 {
			return status.Error(codes.Internal, "too many")
		}
		answer := &ripostev1.BatchGetLikeStatesResponse{}
		for _, id := range request.CommentIds {
			answer.States = append(answer.States, &ripostev1.LikeState{CommentId: id, Value: ripostev1.LikeValue_LIKE_VALUE_LIKE})
		}
		return stream.SendMsg(answer)
	})
	client := connect(t, riposte.Options{Target: target})
	page := must(client.Subject("article", "1").Page(context.Background(), riposte.Viewer("m9")))(t)
	for at, thread := range page.Threads {
		if (thread.Comment.OwnLike == ripostev1.LikeValue_LIKE_VALUE_LIKE) != (at >= 55) {
			t.Fatal(at, thread.Comment.OwnLike)
		}
	}
	if slices.Sort(asked); !slices.Equal(asked, []int{60, 200, 200, 200}) {
		t.Fatal(asked)
	}
}

// byIDs reads so many comments by their ids.
func (r *run) byIDs(ctx context.Context, count int) error {
	subject := dev.Client.Subject("article", r.filled("${unique}"))
	var ids []int64
	for at := range count {
		made, err := subject.Comment(ctx, "m1", fmt.Sprint(at))
		if err != nil {
			return err
		}
		ids = append(ids, made.GetId())
	}
	slices.Reverse(ids)
	found, err := dev.Client.CommentsByID(ctx, append(slices.Clone(ids), 0, 1, ids[count-1]))
	none, failed := dev.Client.CommentsByID(ctx, nil)
	if err := errors.Join(err, failed); err != nil {
		return err
	}
	var got []int64
	for _, comment := range found {
		got = append(got, comment.GetId())
	}
	if !slices.Equal(got, ids) || len(none) != 0 {
		return fmt.Errorf("found %v and %v, not %v", got, none, ids)
	}
	if _, err := dev.Client.CommentsByID(ctx, []int64{-1}); !errors.Is(err, riposte.ReasonFieldInvalid) {
		return fmt.Errorf("the id -1: %w", err)
	}
	return nil
}
