// SPDX-License-Identifier: Apache-2.0
#include "cli/front/command_line/verb_options.h"
#include "cli/front/option_checks.h"

namespace gradproof {
namespace {

/// Adds the options for the start of a candidate's process.
std::vector<CLI::Option*> add_process(CLI::App& verb, Options& o) {
  return {verb.add_option("--python-program", o.python_program, "a Python that imports torch")
              ->type_name("PROGRAM")
              ->capture_default_str(),
          choose(verb.add_option("--sandbox", o.sandbox, "bubblewrap around its process")
                     ->capture_default_str(),
                 {"auto", "require", "none"})};
}

/// Adds the options that both kinds of candidates take.
std::vector<CLI::Option*> add_shared(CLI::App& check, Options& o) {
  std::vector<CLI::Option*> all = add_process(check, o);
  for (CLI::Option* option :
       {choose(check.add_option("--device", o.candidate_device, "where its tensors are")
                   ->default_str("cpu; of an operator for CUDA alone, cuda"),
               {"cpu", "cuda", "executor"}),
        choose(check
                   .add_option("--stream", o.candidate_stream,
                               "on which its launches belong: the caller's own, or the default one")
                   ->capture_default_str(),
               {"own", "default"}),
        check
            .add_option("--steps", o.training_steps,
                        "training steps one after the other, where there are buffers; 0: none")
            ->type_name("N")
            ->capture_default_str()
            ->check(whole_from(0)),
        choose(check
                   .add_option("--inputs", o.which_inputs,
                               "its own numbers alone, hard ones too, those that take long too")
                   ->capture_default_str(),
               {"given", "hard", "all"}),
        check.add_option("--contract", o.contract, "of the candidate (docs/contracts.md)")
            ->type_name("'KEY=WORD ...'")
            ->default_str("the first rung on which it passes"),
        choose(check.add_option("--bound", o.bound, "which error is permitted (docs/likely.md)")
                   ->default_str("likely, then certain"),
               {"likely", "certain"}),
        choose(check.add_option("--elements", o.elements, "judged of products that take long")
                   ->default_str("sampled"),
               {"sampled", "all"}),
        check.add_flag("--no-backward", o.forward_alone, "judge its results alone")})
    all.push_back(option);
  return all;
}

void add_python(CLI::App& check, CLI::Option& python, Options& o) {
  python.type_name("FILE");
  for (const char* other : {"CASE", "--cases", "--suite", "--with", "--plan", "--resume"})
    python.excludes(other);
  check.add_option("--reference", o.reference, "file with Model, get_inputs, get_init_inputs")
      ->type_name("FILE")
      ->default_str("that of --python")
      ->needs(&python);
  check.add_option("--function", o.function, "what is called, in place of Model and ModelNew")
      ->type_name("NAME")
      ->needs(&python);
  check.add_option("--seed", o.seed, "of its inputs and cotangents")
      ->type_name("N")
      ->capture_default_str()
      ->check(whole_from(0))
      ->needs(&python);
}

/// Adds the options that name the operator and map its arguments to those of the line.
std::vector<CLI::Option*> add_operator(CLI::App& verb, Options& o) {
  return {verb.add_option("--op", o.op, "the operator, and its overload where it has several")
              ->type_name("SPACE::NAME"),
          verb.add_option("--backward", o.backward_op,
                          "operator that is its backward, in place of its own autograd")
              ->type_name("SPACE::NAME"),
          verb.add_option("--mapping", o.mapping, "arguments by names, as describe writes them")
              ->type_name("FILE")};
}

}  // namespace

void add_pipeline(CLI::App& verb, Options& o) {
  verb.add_option("--pipeline", o.pipeline,
                  "a computation as text (docs/graphs.md); CASE is then its keys alone")
      ->type_name("'y = STAGE(x, ...)'");
  verb.add_option("--claim", o.claim,
                  "a computation by its name in 'list claims'; CASE is then its keys alone")
      ->type_name("NAME")
      ->excludes("--pipeline");
}

void add_candidates(CLI::App& check, Options& o) {
  CLI::Option* python = check.add_option("--python", o.python,
                                         "instead of cases: a file with ModelNew, beside Model "
                                         "(docs/bring-your-own.md)");
  add_python(check, *python, o);
  CLI::Option* library =
      check
          .add_option("--library", o.library,
                      "instead of kernels: a TORCH_LIBRARY library; CASE has sizes and type")
          ->type_name("FILE");
  for (const char* other : {"--python", "--cases", "--suite", "--with", "--plan", "--resume"})
    library->excludes(other);
  for (CLI::Option* option : add_operator(check, o)) option->needs(library);
  check.parse_complete_callback([python, library, shared = add_shared(check, o)] {
    if (python->count() + library->count() > 0) return;
    for (const CLI::Option* option : shared)
      if (option->count() > 0)
        throw CLI::RequiresError(option->get_name(), "--python or --library");
  });
}

void add_describe(CLI::App& app, Options& o) {
  CLI::App* describe =
      add_verb(app, o,
               {"describe", "operators of a TORCH_LIBRARY library; with --pipeline, a mapping",
                "gradproof describe libmine.so --op mine::fused --pipeline 'y = tanh(x)'"});
  describe->add_option("LIBRARY", o.library, "file of the library")->required();
  add_operator(*describe, o);
  add_pipeline(*describe, o);
  add_process(*describe, o);
  describe
      ->add_option("--output", o.output, "file that takes the text, in place of standard output")
      ->type_name("FILE");
}

}  // namespace gradproof
