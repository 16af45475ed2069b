import { common } from '../words.ts'
import type { writingWords as english } from './writing.words.ts'

export const writingWords: typeof english = {
  emoji: 'Emojis…',
  savedTexts: 'Textos salvos…',
  emojiTitle: 'Emojis',
  search: 'Buscar',
  emojiHint: 'Pelo nome em inglês, por exemplo heart. As setas movem, Enter escolhe um.',
  recent: 'Usados por último',
  allEmoji: 'Todos',
  found: (many) => common.count(many, 'emoji'),
  noEmoji: 'Nenhum emoji tem este nome.',
  textsTitle: 'Textos salvos e hashtags',
  kinds: { TEXT: 'Textos', HASHTAGS: 'Grupos de hashtags' },
  kind: 'Tipo',
  kindOf: { TEXT: 'Texto', HASHTAGS: 'Grupo de hashtags' } as Record<string, string>,
  name: 'Nome',
  text: 'Texto',
  none: 'Nada está salvo ainda.',
  noneHint: 'Salve o que várias publicações dizem igual, como um horário de funcionamento ou um grupo de hashtags.',
  noneFound: 'Nada tem este nome ou texto.',
  insert: 'Inserir',
  change: 'Mudar',
  add: 'Salvar um novo',
  saved: (name) => `${name} foi salvo.`,
  deleted: (name) => `${name} foi excluído. As publicações que o usaram ficam com ele.`,
  back: 'Voltar à lista',
}
