import { choice, directory } from './parsers.js'
import { type ConfigOf, group, setting } from './setting.js'

export const media = group({
  dir: setting('MEDIA_DIR', directory, { turnsOn: true }).about(
    'Directory of uploaded media, shared by all nodes. Without it uploads are refused.',
  ),
  metadata: setting('MEDIA_METADATA', choice('remove', 'keep'), { default: 'remove' }).about(
    '`keep` stores files with the metadata that cameras write, such as places, devices and names. Everyone with the URL can read it.',
  ),
})

export type MediaConfig = NonNullable<ConfigOf<typeof media>>
