package riposte

import "google.golang.org/protobuf/reflect/protoreflect"

// made answers the message in a field, which it makes if there is none.
func made[M any](field **M) *M {
	if *field == nil {
		*field = new(M)
	}
	return *field
}

// setNamed gives an enum field the value with a name of its enum.
func setNamed[E interface {
	~int32
	protoreflect.Enum
}](field *E, name protoreflect.Name) {
	*field = E((*field).Descriptor().Values().ByName(name).Number())
}
