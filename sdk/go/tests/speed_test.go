package tests

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"riposte.dev/go/riposte"
)

// fullSpeed makes as many calls as it can beside a stream, without a connection that the server
// closes.
func (r *run) fullSpeed(ctx context.Context, count int) error {
	server := serveCallers(r.t)
	client := server.as(r.t, "writer")
	subject := client.Subject("article", r.filled("${unique}"))
	for range 10 {
		if _, err := subject.Comment(ctx, "m1", strings.Repeat("long ", 900)); err != nil {
			return err
		}
	}
	events, err := subscribe(ctx, r.t, client, published("article"))
	if err != nil {
		return err
	}
	err = parallel(2*count, 64, func(at int) error {
		ctx, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		if at%2 == 0 {
			_, err := subject.Get(ctx)
			return err
		}
		page, err := subject.Page(ctx, riposte.PageSize(10))
		if err == nil && len(page.Threads) != 10 {
			err = fmt.Errorf("a page of %d", len(page.Threads))
		}
		return err
	})
	if err != nil {
		return err
	}
	err = parallel(200, 32, func(int) error {
		ctx, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		_, err := subject.Comment(ctx, "m1", "Hi")
		return err
	})
	if err != nil {
		return err
	}
	if _, err := events.gets("opened"); err != nil {
		return err
	}
	for told := 0; told < 200; {
		item, err, _ := events.next()
		if err != nil || item.GetEvent() == nil && item.GetHeartbeat() == nil {
			return fmt.Errorf("no event: %v, %w", item, err)
		}
		if item.GetEvent() != nil {
			told++
		}
	}
	if closed, err := server.closed(); err != nil || closed != "" && closed != "0" {
		return fmt.Errorf("%s connections were closed for their control frames (%v)", closed, err)
	}
	return nil
}

// parallel runs so many tasks, up to a number of them at once.
func parallel(count, atOnce int, task func(at int) error) error {
	tasks, results := make(chan int), make(chan error)
	for range atOnce {
		go func() {
			var failed error
			for at := range tasks {
				if err := task(at); err != nil {
					failed = err
				}
			}
			results <- failed
		}()
	}
	for at := range count {
		tasks <- at
	}
	close(tasks)
	var failed error
	for range atOnce {
		failed = errors.Join(failed, <-results)
	}
	return failed
}
