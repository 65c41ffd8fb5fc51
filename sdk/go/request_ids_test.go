package riposte

import (
	"regexp"
	"slices"
	"testing"

	"riposte.dev/go/riposte/ripostev1"
)

func TestIdsAreUUIDsOfVersion7ThatRiseAndShareTheirTail(t *testing.T) {
	ids := newRequestIDs()
	made := make([]string, 100_000)
	for at := range made {
		made[at] = ids.Next()
	}
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	for at, id := range made {
		if !form.MatchString(id) || id[24:] != made[0][24:] {
			t.Fatalf("%s, after %s", id, made[0])
		}
		if at > 0 && id <= made[at-1] {
			t.Fatalf("%s does not follow %s", id, made[at-1])
		}
	}
	if other := newRequestIDs().Next(); other[24:] == made[0][24:] {
		t.Fatal("two clients share their tail")
	}
}

func TestIdsMadeAtTheSameTimeDiffer(t *testing.T) {
	ids, parts := newRequestIDs(), make(chan []string)
	for range 8 {
		go func() {
			part := make([]string, 10_000)
			for at := range part {
				part[at] = ids.Next()
			}
			parts <- part
		}()
	}
	var all []string
	for range 8 {
		part := <-parts
		if !slices.IsSorted(part) {
			t.Fatal("ids of one goroutine do not rise")
		}
		all = append(all, part...)
	}
	slices.Sort(all)
	if made := len(all); len(slices.Compact(all)) != made {
		t.Fatal("an id was made twice")
	}
}

func TestARequestIsFilledInACopy(t *testing.T) {
	ids := newRequestIDs()
	request := &ripostev1.CreateCommentRequest{MemberId: "m7", Content: &ripostev1.Content{Text: "Hi"}}
	filled := ids.fill(request).(*ripostev1.CreateCommentRequest)
	if request.RequestId != "" || filled.RequestId == "" || filled.MemberId != "m7" || filled.Content.Text != "Hi" {
		t.Fatalf("%v became %v", request, filled)
	}
	if again := ids.fill(filled); again != any(filled) {
		t.Fatal("a request with an id was not left as it was")
	}
	read := &ripostev1.GetCommentRequest{Id: 7}
	if same := ids.fill(read); same != any(read) {
		t.Fatal("a read was not left as it was")
	}
}
