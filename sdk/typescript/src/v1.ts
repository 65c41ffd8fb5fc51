/** The contract `riposte.v1`: its messages, with their schemas, enums and services. */
export * from "./gen/riposte/v1/admin_pb.js";
export * from "./gen/riposte/v1/admin_service_pb.js";
export * from "./gen/riposte/v1/comment_pb.js";
export * from "./gen/riposte/v1/comment_service_pb.js";
export * from "./gen/riposte/v1/degradation_pb.js";
export * from "./gen/riposte/v1/error_reason_pb.js";
export * from "./gen/riposte/v1/like_pb.js";
export * from "./gen/riposte/v1/like_service_pb.js";
export * from "./gen/riposte/v1/reply_pb.js";
export * from "./gen/riposte/v1/reply_service_pb.js";
export * from "./gen/riposte/v1/subject_pb.js";
export * from "./gen/riposte/v1/subject_service_pb.js";
