import { choice, directory } from './parsers.js'
import { type ConfigOf, group, setting } from './setting.js'

export const media = group({
  dir: setting('MEDIA_DIR', directory, { turnsOn: true }).about(
    'Directory for uploaded media, the same for every node; without it none are taken.',
  ),
  metadata: setting('MEDIA_METADATA', choice('remove', 'keep'), { default: 'remove' }).about(
    '`keep` stores uploaded files with the place, device and person that cameras write into them, which everyone sees who has the URL.',
  ),
})

export type MediaConfig = NonNullable<ConfigOf<typeof media>>
