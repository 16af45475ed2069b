import { choice, directory } from './parsers.js'
import { type ConfigOf, group } from './setting.js'

export const media = group({
  dir: {
    name: 'MEDIA_DIR',
    parse: directory,
    about: 'Directory for uploaded media, the same for every node; without it none are taken.',
    turnsOn: true,
  },
  metadata: {
    name: 'MEDIA_METADATA',
    parse: choice('remove', 'keep'),
    default: 'remove',
    about:
      '`keep` stores uploaded files with the place, device and person that cameras write into them, which everyone sees who has the URL.',
  },
})

export type MediaConfig = NonNullable<ConfigOf<typeof media>>
