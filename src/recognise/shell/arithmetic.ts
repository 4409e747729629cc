/**
 * Arithmetic expressions. Their value is unknown; they are walked because a command substitution
 * inside them runs.
 */
import type { ArithmeticExpression, Word } from 'unbash';
import { type Frame, inside } from '../reader.ts';
import { UNKNOWN } from './unknown.ts';

type WordText = (word: Word, frame: Frame) => readonly string[];

export function arithmeticValue(
  expression: ArithmeticExpression | undefined,
  frame: Frame,
  textOf: WordText,
): string {
  if (!expression) return UNKNOWN;
  if (expression.type === 'ArithmeticWord' && /^\d+$/.test(expression.value)) {
    return expression.value;
  }
  walkArithmetic(expression, frame, textOf);
  return UNKNOWN;
}

export function walkArithmetic(
  expression: ArithmeticExpression,
  frame: Frame,
  textOf: WordText,
): void {
  const pending = [expression];
  for (let next = pending.pop(); next; next = pending.pop()) {
    switch (next.type) {
      case 'ArithmeticBinary':
        pending.push(next.right, next.left);
        break;
      case 'ArithmeticUnary':
        pending.push(next.operand);
        break;
      case 'ArithmeticTernary':
        pending.push(next.alternate, next.consequent, next.test);
        break;
      case 'ArithmeticGroup':
        pending.push(next.expression);
        break;
      case 'ArithmeticWord':
        if (next.parts)
          textOf({ ...next, type: 'Word', text: next.value, parts: next.parts }, frame);
        break;
      case 'ArithmeticCommandExpansion': {
        const within = inside(frame, '$(…)', { state: frame.state.copy() });
        if (next.script) frame.reader.parsed(next.script, within);
      }
    }
  }
}
