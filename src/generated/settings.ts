// Generated from schema/ by `npm run gen`. Do not edit.
type Setting = { readonly key: string; readonly env: readonly string[]; readonly secret?: true; readonly default?: string }
/** The settings of each built-in platform. */
export const platformSettings: { readonly [platform: string]: readonly Setting[] } = {
  "github": [
    {
      "key": "token",
      "env": [],
      "secret": true
    },
    {
      "key": "host",
      "env": [
        "GH_HOST"
      ]
    }
  ],
  "gitlab": [
    {
      "key": "token",
      "env": [
        "GITLAB_TOKEN"
      ],
      "secret": true
    },
    {
      "key": "host",
      "env": [
        "GITLAB_HOST"
      ]
    }
  ],
  "email": [
    {
      "key": "address",
      "env": [
        "EMAIL_ADDRESS"
      ]
    },
    {
      "key": "password",
      "env": [
        "EMAIL_PASSWORD"
      ],
      "secret": true
    },
    {
      "key": "user",
      "env": [
        "EMAIL_SMTP_USER"
      ]
    },
    {
      "key": "smtp_host",
      "env": [
        "EMAIL_SMTP_HOST"
      ]
    },
    {
      "key": "smtp_port",
      "env": [
        "EMAIL_SMTP_PORT"
      ],
      "default": "587"
    },
    {
      "key": "smtp_security",
      "env": [
        "EMAIL_SMTP_SECURITY"
      ]
    },
    {
      "key": "smtp_ca_file",
      "env": [
        "EMAIL_SMTP_CA_FILE"
      ]
    },
    {
      "key": "home_channel",
      "env": [
        "EMAIL_HOME_ADDRESS"
      ]
    }
  ],
  "sms": [
    {
      "key": "api_key",
      "env": [
        "VONAGE_API_KEY"
      ]
    },
    {
      "key": "api_secret",
      "env": [
        "VONAGE_API_SECRET"
      ],
      "secret": true
    },
    {
      "key": "from",
      "env": [
        "VONAGE_FROM"
      ]
    },
    {
      "key": "account_sid",
      "env": [
        "TWILIO_ACCOUNT_SID"
      ]
    },
    {
      "key": "auth_token",
      "env": [
        "TWILIO_AUTH_TOKEN"
      ],
      "secret": true
    },
    {
      "key": "phone_number",
      "env": [
        "TWILIO_PHONE_NUMBER"
      ]
    },
    {
      "key": "messaging_service_sid",
      "env": [
        "TWILIO_MESSAGING_SERVICE_SID"
      ]
    },
    {
      "key": "home_channel",
      "env": [
        "SMS_HOME_CHANNEL"
      ]
    },
    {
      "key": "provider",
      "env": [
        "SMS_PROVIDER"
      ]
    }
  ],
  "telegram": [
    {
      "key": "token",
      "env": [
        "TELEGRAM_BOT_TOKEN"
      ],
      "secret": true
    },
    {
      "key": "home_channel",
      "env": [
        "TELEGRAM_HOME_CHANNEL"
      ]
    }
  ],
  "discord": [
    {
      "key": "token",
      "env": [
        "DISCORD_BOT_TOKEN"
      ],
      "secret": true
    },
    {
      "key": "webhook_url",
      "env": [
        "DISCORD_WEBHOOK_URL"
      ],
      "secret": true
    },
    {
      "key": "home_channel",
      "env": [
        "DISCORD_HOME_CHANNEL"
      ]
    }
  ],
  "slack": [
    {
      "key": "token",
      "env": [
        "SLACK_BOT_TOKEN"
      ],
      "secret": true
    },
    {
      "key": "webhook_url",
      "env": [
        "SLACK_WEBHOOK_URL"
      ],
      "secret": true
    },
    {
      "key": "home_channel",
      "env": [
        "SLACK_HOME_CHANNEL"
      ]
    }
  ],
  "signal": [
    {
      "key": "http_url",
      "env": [
        "SIGNAL_HTTP_URL"
      ]
    },
    {
      "key": "account",
      "env": [
        "SIGNAL_ACCOUNT"
      ]
    },
    {
      "key": "home_channel",
      "env": [
        "SIGNAL_HOME_CHANNEL"
      ]
    }
  ],
  "whatsapp": [
    {
      "key": "phone_number_id",
      "env": [
        "WHATSAPP_CLOUD_PHONE_NUMBER_ID"
      ]
    },
    {
      "key": "access_token",
      "env": [
        "WHATSAPP_CLOUD_ACCESS_TOKEN"
      ],
      "secret": true
    },
    {
      "key": "api_version",
      "env": [
        "WHATSAPP_CLOUD_API_VERSION"
      ],
      "default": "v20.0"
    },
    {
      "key": "bridge",
      "env": [
        "WHATSAPP_ENABLED"
      ]
    },
    {
      "key": "bridge_url",
      "env": [
        "WHATSAPP_BRIDGE_URL"
      ]
    },
    {
      "key": "home_channel",
      "env": [
        "WHATSAPP_CLOUD_HOME_CHANNEL",
        "WHATSAPP_HOME_CHANNEL"
      ]
    }
  ],
  "matrix": [
    {
      "key": "homeserver",
      "env": [
        "MATRIX_HOMESERVER"
      ]
    },
    {
      "key": "access_token",
      "env": [
        "MATRIX_ACCESS_TOKEN"
      ],
      "secret": true
    },
    {
      "key": "user_id",
      "env": [
        "MATRIX_USER_ID"
      ]
    },
    {
      "key": "password",
      "env": [
        "MATRIX_PASSWORD"
      ],
      "secret": true
    },
    {
      "key": "home_channel",
      "env": [
        "MATRIX_HOME_ROOM",
        "MATRIX_HOME_CHANNEL"
      ]
    }
  ],
  "mattermost": [
    {
      "key": "url",
      "env": [
        "MATTERMOST_URL"
      ]
    },
    {
      "key": "token",
      "env": [
        "MATTERMOST_TOKEN"
      ],
      "secret": true
    },
    {
      "key": "home_channel",
      "env": [
        "MATTERMOST_HOME_CHANNEL"
      ]
    }
  ],
  "homeassistant": [
    {
      "key": "token",
      "env": [
        "HASS_TOKEN"
      ],
      "secret": true
    },
    {
      "key": "url",
      "env": [
        "HASS_URL"
      ],
      "default": "http://homeassistant.local:8123"
    },
    {
      "key": "home_channel",
      "env": [
        "HASS_HOME_CHANNEL"
      ]
    }
  ],
  "dingtalk": [
    {
      "key": "webhook_url",
      "env": [
        "DINGTALK_WEBHOOK_URL"
      ],
      "secret": true
    },
    {
      "key": "secret",
      "env": [
        "DINGTALK_SECRET"
      ],
      "secret": true
    },
    {
      "key": "client_id",
      "env": [
        "DINGTALK_CLIENT_ID"
      ]
    },
    {
      "key": "client_secret",
      "env": [
        "DINGTALK_CLIENT_SECRET"
      ],
      "secret": true
    },
    {
      "key": "robot_code",
      "env": [
        "DINGTALK_ROBOT_CODE"
      ]
    },
    {
      "key": "home_channel",
      "env": [
        "DINGTALK_HOME_CHANNEL"
      ]
    }
  ],
  "feishu": [
    {
      "key": "app_id",
      "env": [
        "FEISHU_APP_ID"
      ]
    },
    {
      "key": "app_secret",
      "env": [
        "FEISHU_APP_SECRET"
      ],
      "secret": true
    },
    {
      "key": "domain",
      "env": [
        "FEISHU_DOMAIN"
      ],
      "default": "feishu"
    },
    {
      "key": "webhook_url",
      "env": [
        "FEISHU_WEBHOOK_URL"
      ],
      "secret": true
    },
    {
      "key": "secret",
      "env": [
        "FEISHU_WEBHOOK_SECRET"
      ],
      "secret": true
    },
    {
      "key": "home_channel",
      "env": [
        "FEISHU_HOME_CHANNEL"
      ]
    }
  ],
  "wecom": [
    {
      "key": "bot_id",
      "env": [
        "WECOM_BOT_ID"
      ]
    },
    {
      "key": "secret",
      "env": [
        "WECOM_SECRET"
      ],
      "secret": true
    },
    {
      "key": "websocket_url",
      "env": [
        "WECOM_WEBSOCKET_URL"
      ]
    },
    {
      "key": "webhook_url",
      "env": [
        "WECOM_WEBHOOK_URL",
        "WEWORK_WEBHOOK_URL"
      ],
      "secret": true
    },
    {
      "key": "corp_id",
      "env": [
        "WECOM_CALLBACK_CORP_ID"
      ]
    },
    {
      "key": "corp_secret",
      "env": [
        "WECOM_CALLBACK_CORP_SECRET"
      ],
      "secret": true
    },
    {
      "key": "agent_id",
      "env": [
        "WECOM_CALLBACK_AGENT_ID"
      ]
    },
    {
      "key": "home_channel",
      "env": [
        "WECOM_HOME_CHANNEL"
      ]
    }
  ],
  "weixin": [
    {
      "key": "token",
      "env": [
        "WEIXIN_TOKEN"
      ],
      "secret": true
    },
    {
      "key": "base_url",
      "env": [
        "WEIXIN_BASE_URL"
      ],
      "default": "https://ilinkai.weixin.qq.com"
    },
    {
      "key": "home_channel",
      "env": [
        "WEIXIN_HOME_CHANNEL"
      ]
    }
  ],
  "bluebubbles": [
    {
      "key": "server_url",
      "env": [
        "BLUEBUBBLES_SERVER_URL"
      ]
    },
    {
      "key": "password",
      "env": [
        "BLUEBUBBLES_PASSWORD"
      ],
      "secret": true
    },
    {
      "key": "method",
      "env": [],
      "default": "apple-script"
    },
    {
      "key": "home_channel",
      "env": [
        "BLUEBUBBLES_HOME_CHANNEL"
      ]
    }
  ],
  "qqbot": [
    {
      "key": "app_id",
      "env": [
        "QQ_APP_ID"
      ]
    },
    {
      "key": "client_secret",
      "env": [
        "QQ_CLIENT_SECRET"
      ],
      "secret": true
    },
    {
      "key": "sandbox",
      "env": [
        "QQ_SANDBOX"
      ]
    },
    {
      "key": "home_channel",
      "env": [
        "QQBOT_HOME_CHANNEL",
        "QQ_HOME_CHANNEL"
      ]
    }
  ],
  "ntfy": [
    {
      "key": "topic",
      "env": [
        "NTFY_PUBLISH_TOPIC",
        "NTFY_TOPIC"
      ]
    },
    {
      "key": "server_url",
      "env": [
        "NTFY_SERVER_URL"
      ]
    },
    {
      "key": "token",
      "env": [
        "NTFY_TOKEN"
      ],
      "secret": true
    },
    {
      "key": "markdown",
      "env": [
        "NTFY_MARKDOWN"
      ]
    },
    {
      "key": "home_channel",
      "env": [
        "NTFY_HOME_CHANNEL"
      ]
    }
  ],
  "teams": [
    {
      "key": "webhook_url",
      "env": [
        "TEAMS_INCOMING_WEBHOOK_URL"
      ],
      "secret": true
    },
    {
      "key": "home_channel",
      "env": [
        "TEAMS_HOME_CHANNEL"
      ]
    }
  ],
  "google_chat": [
    {
      "key": "webhook_url",
      "env": [
        "GOOGLE_CHAT_WEBHOOK_URL"
      ],
      "secret": true
    },
    {
      "key": "service_account_json",
      "env": [
        "GOOGLE_CHAT_SERVICE_ACCOUNT_JSON"
      ],
      "secret": true
    },
    {
      "key": "home_channel",
      "env": [
        "GOOGLE_CHAT_HOME_CHANNEL"
      ]
    }
  ],
  "line": [
    {
      "key": "channel_access_token",
      "env": [
        "LINE_CHANNEL_ACCESS_TOKEN"
      ],
      "secret": true
    },
    {
      "key": "home_channel",
      "env": [
        "LINE_HOME_CHANNEL"
      ]
    }
  ],
  "pushover": [
    {
      "key": "token",
      "env": [
        "PUSHOVER_TOKEN",
        "PUSHOVER_APP_TOKEN"
      ],
      "secret": true
    },
    {
      "key": "user",
      "env": [
        "PUSHOVER_USER",
        "PUSHOVER_USER_KEY"
      ]
    },
    {
      "key": "home_channel",
      "env": [
        "PUSHOVER_HOME_CHANNEL"
      ]
    }
  ]
}
/** The environment variables of each built-in runner, by its setting. */
export const runnersEnv: { readonly [runner: string]: { readonly [setting: string]: readonly string[] } } = {
  "openai": {
    "apiKey": [
      "OPENAI_API_KEY"
    ]
  },
  "anthropic": {
    "apiKey": [
      "ANTHROPIC_API_KEY"
    ]
  }
}
/** Other names of built-in targets, and the real one of each. */
export const targetAliases: { readonly [alias: string]: string } = {
  "hosta_comment": "github_comment",
  "hostb_comment": "gitlab_comment",
  "msteams": "teams",
  "wecom_callback": "wecom",
  "whatsapp_cloud": "whatsapp"
}
/** The environment variables of each provider of web_search, by its setting. */
export const searchEnv: { readonly [provider: string]: { readonly [setting: string]: readonly string[] } } = {
  "searxng": {
    "baseUrl": [
      "SEARXNG_URL"
    ]
  },
  "brave": {
    "apiKey": [
      "BRAVE_API_KEY"
    ]
  },
  "tavily": {
    "apiKey": [
      "TAVILY_API_KEY"
    ]
  }
}
