// Generated from schema/ by `npm run gen`. Do not edit.
/** By section and key. */
export const defaults = {
  "webhook": {
    "host": "127.0.0.1",
    "port": 8644,
    "rate_limit": 30,
    "max_body_bytes": 1048576,
    "script_timeout_seconds": 30,
    "trust_proxy": false
  },
  "gateway": {
    "multiplex_profiles": false,
    "drain_seconds": 30,
    "max_concurrent_runs": 4,
    "max_queued_runs": 100000,
    "max_waiting_requests": 100,
    "max_concurrent_scripts": 8
  },
  "console": {
    "enabled": false,
    "host": "127.0.0.1",
    "port": 8645
  },
  "console_forward": {
    "secret_header": "X-Headgate-Secret",
    "user_header": "X-Forwarded-User",
    "groups_header": "X-Forwarded-Groups"
  },
  "console_oidc": {
    "scopes": [
      "profile",
      "email"
    ],
    "user_claim": "sub",
    "groups_claim": "groups"
  },
  "metrics": {
    "enabled": false,
    "host": "127.0.0.1",
    "port": 9464
  },
  "tls": {
    "client_certificates": "required"
  },
  "storage": {
    "kind": "sqlite",
    "schema": "headgate",
    "durability": "fsync"
  },
  "retention": {
    "hours": 72,
    "max_bytes": 1073741824,
    "max_events": 1000000,
    "max_dead_runs": 10000,
    "payloads": true
  },
  "secret_provider": {
    "protocol": "text",
    "timeout_seconds": 10,
    "overlap_seconds": 3600
  },
  "telemetry": {
    "service_name": "headgate",
    "content": false
  },
  "otlp": {
    "protocol": "http/protobuf"
  },
  "traces": {
    "enabled": true,
    "ratio": 0.05
  },
  "breaker": {
    "enabled": true,
    "failures": 20,
    "max_wait_seconds": 300
  },
  "agent": {
    "runner": "echo",
    "max_steps": 8,
    "timeout_seconds": 600,
    "payload": false,
    "output": "text"
  },
  "budget": {
    "thread_runs": 30
  },
  "platform_toolsets": {
    "webhook": [
      "web_search",
      "web_extract",
      "vision_analyze",
      "clarify"
    ]
  },
  "route": {
    "enabled": true,
    "address": true,
    "confirm_subscriptions": false,
    "body": "auto",
    "payload_mismatch": "ignore",
    "trust_trace_context": false,
    "lookup_timeout_seconds": 5,
    "script_timeout_seconds": 30,
    "expression_error": "empty",
    "deliver": "log",
    "deliver_mode": "all",
    "deliver_only": false,
    "when_down": "hold",
    "priority": "normal",
    "cron_job_running": "skip",
    "mirror_to_session": false
  },
  "retry": {
    "max_attempts": 3,
    "backoff": 5,
    "max_delay_seconds": 300
  },
  "coalesce": {
    "window_seconds": 30,
    "max_wait_seconds": 300,
    "keep": "latest",
    "single_flight": false
  },
  "rate_limit": {
    "when_over": "refuse"
  },
  "cooldown": {
    "last": false
  },
  "lookup": {
    "allow_private": false,
    "cache_minutes": 0,
    "on_failure": "retry"
  },
  "session": {
    "history": 40
  },
  "duplicates": {
    "hours": 1
  },
  "attachments": {
    "max_files": 10,
    "max_bytes": 5242880,
    "max_total_bytes": 10485760
  },
  "catch_up": {
    "hours": 72
  },
  "poll": {
    "every_seconds": 10
  },
  "respond": {
    "status": 200,
    "body": "",
    "content_type": "text/plain; charset=utf-8",
    "max_waiting": 100,
    "status_hours": 24,
    "status_body": false
  },
  "job": {
    "timezone": "UTC",
    "deliver": "log",
    "deliver_mode": "all",
    "enabled": true,
    "paused": false,
    "grace_seconds": 3600
  },
  "alert": {
    "deliver_mode": "all",
    "refused_per_minute": 30,
    "backlog_seconds": 900,
    "ends_within_days": 14,
    "max_per_hour": 12
  },
  "silence": {
    "timezone": "UTC"
  },
  "toolset": {
    "timeout_seconds": 60,
    "start_timeout_seconds": 30
  },
  "relay": {
    "listen": true
  },
  "relay_file": {
    "host": "127.0.0.1",
    "port": 8643
  },
  "relay_gateway": {
    "keep_hours": 72
  },
  "relay_route": {
    "answer": "live",
    "methods": [
      "POST"
    ],
    "wait_seconds": 2,
    "max_items": 10000,
    "max_bytes": 268435456,
    "max_body_bytes": 1048576
  }
} as const
