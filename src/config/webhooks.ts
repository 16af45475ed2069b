import { onOff } from './parsers.js'
import { type ConfigOf, group, setting } from './setting.js'

export const webhooks = group({
  allowsPrivate: setting('WEBHOOK_PRIVATE', onOff, { default: 'off' }).about(
    '`on` allows webhooks to private addresses and to this machine. Use it only if you trust every organization.',
  ),
})

export type WebhooksConfig = ConfigOf<typeof webhooks>
