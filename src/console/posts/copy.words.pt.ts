import { common } from '../words.ts'
import type { copyWords as english } from './copy.words.ts'

export const copyWords: typeof english = {
  duplicate: 'Duplicar',
  toChannel: 'Copiar para outro canal…',
  title: 'Copiar para outro canal',
  from: 'Texto de',
  to: 'Para',
  noOther: 'Não há outro canal para o qual copiar.',
  add: 'Adicionar a esta publicação',
  added: (channel) => `${channel} foi adicionado com este texto. Ainda não está salvo.`,
  newDraft: 'Começar um novo rascunho',
  newDraftHint: 'O novo rascunho tem o texto, o superpoder, a imagem ou o vídeo e as notas, e ainda não tem horário.',
  leftOut: (hashtags) =>
    `${hashtags.length === 1 ? 'A hashtag' : 'As hashtags'} ${common.list(hashtags)} ${hashtags.length === 1 ? 'fica' : 'ficam'} com o original, porque em cada canal uma hashtag pertence a uma publicação por vez. Dê outra ao superpoder desta cópia.`,
  goneChannels: (channels) =>
    `${common.list(channels)} ${channels.length === 1 ? 'foi excluído e fica' : 'foram excluídos e ficam'} fora da cópia.`,
}
