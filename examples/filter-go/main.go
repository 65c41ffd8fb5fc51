// A filter for Riposte: it holds texts with a link, and rejects texts with a word of a list.
package main

import (
	"context"
	"log"
	"net"
	"os"
	"strings"

	"google.golang.org/grpc"
	"riposte.dev/go/riposte/filterv1"
)

type filter struct {
	filterv1.UnimplementedFilterServiceServer
	words []string
}

// CheckContents answers each item, in order, with the key of the item.
func (f *filter) CheckContents(
	_ context.Context, request *filterv1.CheckContentsRequest,
) (*filterv1.CheckContentsResponse, error) {
	response := &filterv1.CheckContentsResponse{}
	for _, item := range request.GetItems() {
		outcome, code := f.judge(strings.ToLower(item.GetText()))
		response.Verdicts = append(response.Verdicts, &filterv1.ContentVerdict{
			Key: item.GetKey(), Outcome: outcome, Code: code, Provider: "filter-go", ModelVersion: "1",
		})
	}
	return response, nil
}

func (f *filter) judge(text string) (filterv1.FilterOutcome, string) {
	for _, word := range f.words {
		if strings.Contains(text, word) {
			return filterv1.FilterOutcome_FILTER_OUTCOME_REJECT, "word"
		}
	}
	if strings.Contains(text, "https://") || strings.Contains(text, "http://") {
		return filterv1.FilterOutcome_FILTER_OUTCOME_HOLD, "link"
	}
	return filterv1.FilterOutcome_FILTER_OUTCOME_ALLOW, ""
}

func main() {
	listener, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer()
	filterv1.RegisterFilterServiceServer(server, &filter{words: os.Args[2:]})
	log.Printf("filter at %s", listener.Addr())
	log.Fatal(server.Serve(listener))
}
