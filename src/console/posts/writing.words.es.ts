import { common } from '../words.ts'
import type { writingWords as english } from './writing.words.ts'

/** These texts are about the tools for writing: emoji, saved texts and groups of hashtags. */
export const writingWords: typeof english = {
  emoji: 'Emojis…',
  savedTexts: 'Textos guardados…',
  emojiTitle: 'Emojis',
  search: 'Buscar',
  emojiHint: 'Por su nombre en inglés, por ejemplo heart. Las flechas mueven, Intro elige uno.',
  recent: 'Usados por última vez',
  allEmoji: 'Todos',
  found: (many) => common.count(many, 'emoji'),
  noEmoji: 'Ningún emoji tiene este nombre.',
  textsTitle: 'Textos y hashtags guardados',
  kinds: { TEXT: 'Textos', HASHTAGS: 'Grupos de hashtags' },
  kind: 'Tipo',
  kindOf: { TEXT: 'Texto', HASHTAGS: 'Grupo de hashtags' } as Record<string, string>,
  name: 'Nombre',
  text: 'Texto',
  none: 'Todavía no hay nada guardado.',
  noneHint: 'Guarda lo que se repite en varias publicaciones, como el horario de apertura o un grupo de hashtags.',
  noneFound: 'Nada tiene este nombre o este texto.',
  insert: 'Insertar',
  change: 'Cambiar',
  add: 'Guardar uno nuevo',
  saved: (name) => `${name} está guardado.`,
  deleted: (name) => `${name} se ha eliminado. Las publicaciones que lo usaron lo conservan.`,
  back: 'Volver a la lista',
}
