/** `waymark demo`: a record worth looking at, made through the operations. It owns the story and who tells it. */
export { type Demo, makeDemo } from './make-demo.ts';
