import { common } from '../words.ts'
import type { toolsWords as english } from './tools.words.ts'

const { count } = common

export const toolsWords: typeof english = {
  feed: {
    title: 'No seu programa de calendário',
    lead: 'Um endereço secreto em que o seu programa de calendário lê as publicações desta organização, de 30 dias antes até 180 dias à frente. Todos os que têm o endereço podem ler os textos delas: guarde-o para você.',
    none: 'Você ainda não tem um endereço assim.',
    since: (time) => `Seu endereço é de ${time}. Ele não pode ser mostrado de novo.`,
    make: 'Criar um endereço',
    replace: 'Criar um novo endereço',
    replaceHint: 'Com um novo endereço, o que você tem deixa de funcionar.',
    remove: 'Excluir o endereço',
    removed: 'O endereço foi excluído.',
    made: 'O endereço do seu calendário',
    madeLead: 'Adicione-o ao seu programa de calendário como assinatura. Ele só é mostrado agora.',
    address: 'Endereço',
  },
  slots: {
    title: 'Horários de publicação',
    lead: (zone) =>
      `Os horários da semana em que as publicações de um canal devem sair, em ${zone}. O calendário os propõe; nada é publicado sozinho.`,
    channel: 'Canal',
    noChannels: 'Ainda não há nenhum canal.',
    weekday: 'Dia da semana',
    time: 'Horário',
    add: 'Adicionar',
    none: 'Ainda não há horários.',
    remove: (day, time) => `Remover ${day} ${time}`,
    saved: (many) =>
      many === 0 ? 'O canal agora não tem horários.' : `${count(many, 'horário salvo', 'horários salvos')}.`,
    list: 'Horários do canal',
  },
}
