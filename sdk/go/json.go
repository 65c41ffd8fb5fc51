package riposte

import (
	"encoding/json"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// JSON writes a message, or what a handle holds, in the JSON form of proto3: ids and revisions are
// texts, which JavaScript does not round, enums are names, and times are RFC 3339. Fields with
// their default are written too. The error is INVALID_ARGUMENT for a text that is no valid UTF-8.
func JSON(message proto.Message) (json.RawMessage, error) {
	if err := sendable(message); err != nil {
		return nil, err
	}
	return protojson.MarshalOptions{EmitDefaultValues: true}.Marshal(message)
}
