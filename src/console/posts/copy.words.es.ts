import { common } from '../words.ts'
import type { copyWords as english } from './copy.words.ts'

/** These texts are about copies of a post. */
export const copyWords: typeof english = {
  duplicate: 'Duplicar',
  toChannel: 'Copiar a otro canal…',
  title: 'Copiar a otro canal',
  from: 'Texto de',
  to: 'A',
  noOther: 'No hay ningún otro canal al que copiar.',
  add: 'Añadir a esta publicación',
  added: (channel) => `Se ha añadido ${channel} con este texto. Todavía no está guardado.`,
  newDraft: 'Empezar un borrador nuevo',
  newDraftHint:
    'El borrador nuevo tiene el texto, el superpoder, la imagen o el vídeo y las notas, y todavía ninguna hora.',
  leftOut: (hashtags) =>
    `${hashtags.length === 1 ? 'El hashtag' : 'Los hashtags'} ${common.list(hashtags)} ${hashtags.length === 1 ? 'se queda' : 'se quedan'} en el original, porque en cada canal un hashtag pertenece a una sola publicación a la vez. Da otro al superpoder de esta copia.`,
  goneChannels: (channels) =>
    `${common.list(channels)} ${channels.length === 1 ? 'se eliminó y se omite' : 'se eliminaron y se omiten'} en la copia.`,
}
