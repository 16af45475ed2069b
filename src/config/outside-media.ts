import { choice } from './parsers.js'
import { group, setting } from './setting.js'

export const outsideMedia = group({
  reach: setting('OUTSIDE_MEDIA', choice('public', 'any', 'off'), { default: 'public' }).about(
    'How media at an address outside are fixed by an approval: `public` fetches them from public addresses, `any` also from private ones (only where every organization is trusted), `off` fetches none, and they go out unfixed.',
  ),
})
