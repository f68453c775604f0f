// Reads events, one a line, into the generated classes, and writes them again. The last line is the sum of the hours
// that were approved.
using System;
using System.Collections.Generic;
using System.Linq;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Workforce.Events
{
  public static class ReadEvents
  {
    private static readonly JsonSerializerSettings Settings = new JsonSerializerSettings
    {
      DateParseHandling = DateParseHandling.None,
    };

    // Each class knows the type that it stands for.
    private static readonly Dictionary<string, Type> Classes = typeof(ReadEvents).Assembly.GetTypes()
      .Where(each => each.Name.EndsWith("Event") && each.GetProperty("Dataschema") != null)
      .ToDictionary(each => ((dynamic)Activator.CreateInstance(each)).Type as string);

    public static void Main()
    {
      decimal approved = 0;
      string line;
      while ((line = Console.ReadLine()) != null)
      {
        object read = Read(line);
        approved += CountApproved(read);
        Console.WriteLine(JsonConvert.SerializeObject(read, Settings));
      }
      Console.WriteLine(JsonConvert.SerializeObject(approved));
    }

    // Null for a type that is newer than the classes.
    public static object Read(string line)
    {
      string type = (string)JObject.Parse(line)["type"];
      return Classes.TryGetValue(type, out Type found) ? JsonConvert.DeserializeObject(line, found, Settings) : null;
    }

    public static decimal CountApproved(object read)
    {
      return read is TimesheetApprovedEvent approved ? approved.Data.Current?.HoursToPay ?? 0 : 0;
    }
  }
}
