// What the engine may call. Each function takes one argument and answers with data, or with `problem`.

function guarded(call) {
  return (argument) => {
    try {
      continueRefs(argument?.from);
      return call(argument ?? {});
    } catch (fault) {
      return fault?.problem ? { problem: fault.problem } : { problem: { kind: 'fault', message: clean(fault?.message ?? fault, 200) } };
    }
  };
}

const exported = { snapshot, resolve, at_point, find, wait, text, read, options, select, set_value, check_state, focus, select_text, scroll, form_of, blur_secrets, unblur_secrets };
globalThis.toolgate = Object.freeze({ ...Object.fromEntries(Object.entries(exported).map(([name, call]) => [name, guarded(call)])), mark, element: (reference) => locate(reference).element, document: documentId });
