import type { DiscussionAction } from '../../interface/generated/types.ts'
import { common } from '../words.ts'
import type { words as english } from './words.ts'

const { count } = common

const ACTIONS: Record<DiscussionAction, string> = {
  written: 'escreveu uma mensagem',
  edited: 'editou uma mensagem',
  deleted: 'excluiu uma mensagem',
  resolved: 'resolveu um tópico',
  reopened: 'reabriu um tópico',
}

export const words: typeof english = {
  title: 'Discussão',
  titleOpen: (many) => `Discussão: ${many} em aberto`,
  open: (many) => `${count(many, 'tópico em aberto', 'tópicos em aberto')} na discussão`,
  hint: 'Para os seus colegas; nunca é publicada. Digite @ para mencionar alguém.',
  outsideTitle: 'Perguntas e observações',
  outsideHint:
    'As pessoas que trabalham nesta publicação leem isto, e também todos os outros que têm um link para ela.',
  none: 'Ninguém escreveu nada ainda.',
  threads: 'Tópicos em aberto',
  resolved: (many) => count(many, 'tópico resolvido', 'tópicos resolvidos'),
  deleted: 'Esta mensagem foi excluída.',
  edited: 'editada',
  shared: 'mostrada às pessoas com um link',
  resolvedBy: (name, time) => `Resolvido por ${name}, ${time}`,
  resolvedOutside: 'Resolvido',
  mentions: (names) => `Menciona ${common.list(names)}`,
  action: ACTIONS,
  actor: (type) => (type === 'operator' ? 'O operador' : type === 'user' ? 'Uma conta excluída' : 'Alguém'),
  you: 'Você',
  message: 'Mensagem',
  newMessage: 'Nova mensagem',
  replyTo: (name) => `Resposta a ${name}`,
  share: 'Mostrar este tópico às pessoas com um link para a publicação',
  send: 'Enviar',
  sent: 'Enviada.',
  reply: 'Responder',
  edit: 'Editar',
  delete: 'Excluir',
  deleteTitle: 'Excluir a mensagem?',
  deleteText: 'O texto é excluído para sempre. Se ela tiver respostas, fica no lugar o aviso de que foi excluída.',
  wasDeleted: 'A mensagem foi excluída.',
  resolve: 'Resolver',
  wasResolved: 'O tópico está resolvido.',
  reopen: 'Reabrir',
  wasReopened: 'O tópico está em aberto de novo.',
  messageOf: (name) => `a mensagem de ${name}`,
  own: 'a sua mensagem',
  people: 'Pessoas a mencionar',
  found: (many) => `${count(many, 'pessoa')}: escolha com as setas e Enter.`,
}
