import { onOff } from './parsers.js'
import { type ConfigOf, group, setting } from './setting.js'

export const webhooks = group({
  allowsPrivate: setting('WEBHOOK_PRIVATE', onOff, { default: 'off' }).about(
    '`on` lets webhooks lead to private addresses and to this machine: only where every organization is trusted.',
  ),
})

export type WebhooksConfig = ConfigOf<typeof webhooks>
