/** Receivers of the platforms themselves, which stand behind a relay. */

export { HTTPReceiver, LogLevel } from '@slack/bolt'
export { verifyKeyMiddleware } from 'discord-interactions'
