import { mebibytes } from './parsers.js'
import { group, setting } from './setting.js'

export const audience = group({
  memoryBytes: setting('AUDIENCE_MEMORY_MB', mebibytes(16, 65_536), { default: '256' }).about(
    'Memory for VIP lists, 16 to 65536, in MiB; a channel of 25000 conversations or more takes about 15, and its VIPs as much again.',
  ),
})
